import { messageOf } from '../api/api-error.ts';
import { shared } from '../texts/shared.ts';
import { Button } from './button.tsx';
import { Words } from './words.tsx';
import './states.css';

/** Shown instead of what could not be loaded, with the API's message. An old page is loaded again. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const message = messageOf(error);
  const isOld = message === shared.noResponse.newVersion;
  return (
    <div className="state state-error" role="alert">
      <p>
        <Words text={message} />
      </p>
      <div className="state-actions">
        <Button onClick={isOld ? () => location.reload() : onRetry}>{isOld ? shared.reload : shared.retry}</Button>
      </div>
    </div>
  );
}
