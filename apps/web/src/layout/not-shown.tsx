import { ErrorState } from '../components/error-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { shared } from '../texts/shared.ts';

/** Shown in place of a view that cannot be shown. */
export function NotShown({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <>
      <PageHeader title={shared.notShown.title} />
      <ErrorState error={error} onRetry={onRetry} />
    </>
  );
}
