import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { useLocation } from '../router.tsx';
import { shared } from '../texts/shared.ts';

/** Shown for an address below `/app/` that is no view. */
export function NotFoundPage() {
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title={shared.notFound.title} />
      <EmptyState text={shared.notFound.text}>
        <Button variant="primary" onClick={() => navigate('/links')}>
          {shared.notFound.action}
        </Button>
      </EmptyState>
    </>
  );
}
