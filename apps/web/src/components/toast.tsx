import { X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { shared } from '../texts/shared.ts';
import { Button, IconButton } from './button.tsx';
import './toast.css';

export interface Toast {
  text: string;
  /** For example “Undo”. */
  action?: { text: string; run: () => void };
  danger?: boolean;
}

const ToastContext = createContext<(toast: Toast) => void>(() => {});
/** Long enough to read a sentence and press “Undo”, also by keyboard. */
const SHOWN_MS = 10_000;

/** Shows what was done. The newest toast replaces the one before. Screen readers read it. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ toast: Toast; id: number } | null>(null);
  const close = useCallback((id: number) => setShown((now) => (now?.id === id ? null : now)), []);
  const show = useCallback(
    (toast: Toast) => {
      const id = Math.random();
      setShown({ toast, id });
      setTimeout(close, SHOWN_MS, id);
    },
    [close],
  );
  const content = useMemo(() => <ToastContext value={show}>{children}</ToastContext>, [show, children]);
  return (
    <>
      {content}
      <div className="toasts" role="status" aria-live="polite">
        {shown && (
          <div className={`toast ${shown.toast.danger ? 'toast-danger' : ''}`} key={shown.id}>
            <p>{shown.toast.text}</p>
            {shown.toast.action && (
              <Button
                size="s"
                variant="ghost"
                onClick={() => {
                  close(shown.id);
                  shown.toast.action!.run();
                }}
              >
                {shown.toast.action.text}
              </Button>
            )}
            <IconButton size="s" label={shared.dismiss} onClick={() => close(shown.id)}>
              <X aria-hidden size={16} />
            </IconButton>
          </div>
        )}
      </div>
    </>
  );
}

/** Returns the function that shows a toast. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext);
}
