import { Component, type ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { shared } from '../texts/shared.ts';

/**
 * Shows how to go on when a view throws, for example because its script is of a version that the server does not have
 * any more. Give it a `key` that changes with the view, so that another view is tried afresh.
 */
export class CrashBoundary extends Component<{ children: ComponentChildren }, { crashed: boolean }> {
  override state = { crashed: false };

  static override getDerivedStateFromError() {
    return { crashed: true };
  }

  override render() {
    if (!this.state.crashed) return this.props.children;
    return (
      <EmptyState title={shared.crashed.title} text={shared.crashed.text}>
        <Button variant="primary" onClick={() => location.reload()}>
          {shared.reload}
        </Button>
      </EmptyState>
    );
  }
}
