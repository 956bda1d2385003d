import { Component, type ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { shared } from '../texts/shared.ts';

/**
 * Shows how to go on when a view throws. Give it a `key` that changes with the view, so that another view is tried
 * afresh.
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
      <>
        <PageHeader title={shared.crashed.title} />
        <EmptyState text={shared.crashed.text}>
          <Button variant="primary" onClick={() => location.reload()}>
            {shared.reload}
          </Button>
        </EmptyState>
      </>
    );
  }
}
