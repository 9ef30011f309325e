// The rows of a view as they change. A connection that breaks off is opened again, and goes on where it was.
import { useEffect, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { followView } from "@/api/views";
import type { ServerEvent } from "@/lib/sse";
import { applied, type Followed, NOTHING } from "@/lib/views";

const AGAIN = 2000;
const DRAW = 250;

export interface Following {
  state: "idle" | "connecting" | "live" | "waiting" | "failed" | "ended";
  followed: Followed;
  error: unknown;
}

export function useViewFollow(name: string, on: boolean): Following {
  const [state, setState] = useState<Following["state"]>("idle");
  const [followed, setFollowed] = useState<Followed>(NOTHING);
  const [error, setError] = useState<unknown>(null);
  const waiting = useRef<ServerEvent[]>([]);
  useEffect(() => {
    if (!on) return;
    const mine = new AbortController();
    let at: string | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setFollowed(NOTHING);
    setError(null);
    waiting.current = [];
    // Events are drawn a few times a second, however fast they come.
    const draw = () => {
      if (waiting.current.length === 0) return;
      const some = waiting.current;
      waiting.current = [];
      setFollowed((before) => applied(before, some));
    };
    const drawing = setInterval(draw, DRAW);
    const follow = async () => {
      setState("connecting");
      try {
        for await (const event of followView(name, at, mine.signal)) {
          at = event.id ?? at;
          waiting.current.push(event);
          setState("live");
          if (event.event === "end") {
            draw();
            setState("ended");
            return;
          }
        }
      } catch (failure) {
        if (mine.signal.aborted) return;
        if (failure instanceof ApiError && failure.status !== 0) {
          setState("failed");
          setError(failure);
          return;
        }
      }
      if (mine.signal.aborted) return;
      setState("waiting");
      timer = setTimeout(() => void follow(), AGAIN);
    };
    void follow();
    return () => {
      mine.abort();
      clearInterval(drawing);
      clearTimeout(timer);
      setState("idle");
    };
  }, [name, on]);
  return { state, followed, error };
}
