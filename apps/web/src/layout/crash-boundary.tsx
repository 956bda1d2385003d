import { Component, type ComponentChildren } from 'preact';
import { shared } from '../texts/shared.ts';
import { NotShown } from './not-shown.tsx';

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
    if (this.state.error === null) return this.props.children;
    return <NotShown error={shared.notShown.text} onRetry={() => location.reload()} />;
  }
}
