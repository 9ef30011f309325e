import { Component, type ReactNode } from "react";
import { Notice } from "@/components/Notice";

interface State {
  failed: boolean;
}

/** A page that breaks says so and leaves the rest standing. `at` changing (the address) tries again. */
export class ErrorBoundary extends Component<{ at: string; children: ReactNode }, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override componentDidUpdate(before: { at: string }): void {
    if (before.at !== this.props.at && this.state.failed) this.setState({ failed: false });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <Notice tone="bad">
        <p>This page could not be drawn. That is a fault in the pages, not in your data.</p>
        <div>
          <button type="button" className="button small" onClick={() => window.location.reload()}>
            Load it again
          </button>
        </div>
      </Notice>
    );
  }
}
