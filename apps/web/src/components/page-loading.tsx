import { shared } from '../texts/shared.ts';

/** Shown while the script of a view loads. */
export function PageLoading() {
  return (
    <p className="page-loading" role="status">
      <span className="visually-hidden">{shared.loading}</span>
    </p>
  );
}
