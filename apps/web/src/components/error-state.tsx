import { messageOf } from '../api/api-error.ts';
import { shared } from '../texts/shared.ts';
import { Button } from './button.tsx';
import { Words } from './words.tsx';
import './states.css';

/** Shown instead of what could not be loaded, with the API's message. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="state state-error" role="alert">
      <p>
        <Words text={messageOf(error)} />
      </p>
      <div className="state-actions">
        <Button onClick={onRetry}>{shared.retry}</Button>
      </div>
    </div>
  );
}
