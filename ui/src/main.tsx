import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { ApiError } from "@/api/client";
import { App } from "@/app";
import { followActivity } from "@/lib/activity";
import { submitOnce } from "@/lib/oneSubmit";
import { followOtherTabs, onSession, readSession, token } from "@/lib/session";
import { applyTheme } from "@/lib/theme";
import { fetchEarly, fetchWhenIdle } from "@/parts";
import "@/styles/base.css";
import "@/styles/layout.css";
import "@/styles/controls.css";
import "@/styles/data.css";

applyTheme();
void readSession();
fetchEarly(window.location.pathname);

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What Weir refuses it refuses again; only what did not get through is tried once more.
      retry: (tries, error) => tries < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502),
      refetchOnWindowFocus: false,
    },
  },
});

// What one user saw must not stay for the next, however the session ended.
onSession(() => {
  if (token() === null) client.clear();
});

followActivity();
followOtherTabs();
submitOnce();

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        {/* A letter that opens the search page must be there before the next letter is typed. */}
        <BrowserRouter useTransitions={false}>
          <App />
        </BrowserRouter>
      </QueryClientProvider>
    </StrictMode>,
  );
}

window.addEventListener("load", () => setTimeout(fetchWhenIdle, 3000));
