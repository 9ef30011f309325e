// Where the window of a second sign-in ends: it notifies the page that waits, and closes.
import { useEffect } from "react";
import { useTitle } from "@/components/PageHead";
import { announce } from "@/lib/session";

export function SignedIn() {
  useTitle("Signed in");
  useEffect(() => {
    announce();
    window.close();
  }, []);
  return (
    <main className="signin">
      <div className="panel stack">
        <h1>You are signed in</h1>
        <p>
          You can close this window. <a href="/">Open Weir here</a>
        </p>
      </div>
    </main>
  );
}
