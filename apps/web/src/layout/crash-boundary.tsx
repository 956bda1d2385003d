import { Component, type ComponentChildren } from 'preact';
import { ApiError } from '../api/api-error.ts';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { shared } from '../texts/shared.ts';

/**
 * Shows why and how to go on when a view throws, for example because its script does not load. Give it a `key` that
 * changes with the view, so that another view is tried afresh.
 */
export class CrashBoundary extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <EmptyState title={shared.crashed.title} text={error instanceof ApiError ? error.message : shared.crashed.text}>
        <Button variant="primary" onClick={() => location.reload()}>
          {shared.reload}
        </Button>
      </EmptyState>
    );
  }
}
