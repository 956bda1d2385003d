import { X } from 'lucide';
import { type ComponentChildren, createContext, type TargetedFocusEvent } from 'preact';
import { useCallback, useContext, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from '../router.tsx';
import { shared } from '../texts/shared.ts';
import { Button, IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Words } from './words.tsx';
import './toast.css';

export interface Toast {
  text: string;
  /** The part of the text that a translator must leave as it is. */
  verbatim?: string;
  /** For example “Undo”. */
  action?: { text: string; run: () => void };
  danger?: boolean;
  /** Ends with the view that it is about, or already with a dialog of it. */
  endsWith?: 'view' | 'dialog';
  /** A text to copy by hand. It has the focus and is selected. */
  selected?: string;
  /** How far long work is, or what it did. Screen readers do not read each change of it. */
  detail?: string;
  /** What it is about, such as the id of a job. It replaces an older toast about the same. */
  about?: string;
  /** Shows long work that runs: the toast stays until `close` is called, next to other toasts. */
  work?: string;
}

interface Toasts {
  shown: readonly (Toast & { id: string })[];
  /** The regions on the page, the innermost last. Only that one shows the toasts. */
  regions: readonly string[];
  close: (id: string) => void;
  register: (region: string) => () => void;
}

const ToastContext = createContext<{ show: (toast: Toast) => void; close: (id: string) => void }>(null!);
const ToastsContext = createContext<Toasts>(null!);
/** The id of the toasts that replace each other. */
const MESSAGE = 'message';
/** The most toasts whose actions are kept at a time. */
const ACTIONS_MAX = 3;
/** Long enough to read a sentence and press “Undo”, also by keyboard. */
const SHOWN_MS = 10_000;

/**
 * Shows what was done. The newest message replaces the one before, but no “Undo” or other action of another one. Screen
 * readers read it.
 */
export function ToastProvider({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<Toasts['shown']>([]);
  const actions = useRef(0);
  const [regions, setRegions] = useState<Toasts['regions']>([]);
  const close = useCallback((id: string) => setShown((now) => now.filter((toast) => toast.id !== id)), []);
  const show = useCallback((toast: Toast) => {
    actions.current += 1;
    const id = toast.work ?? toast.about ?? (toast.action ? `action-${actions.current}` : MESSAGE);
    setShown((now) => {
      if (now.some((other) => other.id === id)) return now.map((other) => (other.id === id ? { ...toast, id } : other));
      const acting = now.filter(({ work, action }) => work === undefined && action !== undefined);
      const dropped = toast.action && toast.work === undefined ? acting.slice(0, -(ACTIONS_MAX - 1)) : [];
      return [...now.filter((other) => !dropped.includes(other)), { ...toast, id }];
    });
  }, []);
  const endDialog = useCallback(() => setShown((now) => now.filter(({ endsWith }) => endsWith !== 'dialog')), []);
  const register = useCallback(
    (region: string) => {
      endDialog();
      setRegions((now) => [...now, region]);
      return () => {
        endDialog();
        setRegions((now) => now.filter((other) => other !== region));
      };
    },
    [endDialog],
  );
  const [location] = useLocation();
  // A layout effect, because a busy browser runs others late: the toast of the next view would end, too.
  useLayoutEffect(() => setShown((now) => now.filter(({ endsWith }) => endsWith === undefined)), [location]);
  const functions = useMemo(() => ({ show, close }), [show, close]);
  const toasts = useMemo(() => ({ shown, regions, close, register }), [shown, regions, close, register]);
  return (
    <ToastContext value={functions}>
      <ToastsContext value={toasts}>
        {children}
        <ToastList shown={regions.length === 0 ? shown : []} />
      </ToastsContext>
    </ToastContext>
  );
}

/**
 * The place of the toasts while it is on the page: in a modal dialog, which makes everything else inert, or before a
 * list, so that the next Tab reaches “Undo”. Without one, they are at the end of the page.
 */
export function ToastRegion() {
  const { shown, regions, register } = useContext(ToastsContext);
  const id = useId();
  // A layout effect for the same reason.
  useLayoutEffect(() => register(id), [register, id]);
  return <ToastList shown={regions.at(-1) === id ? shown : []} />;
}

function ToastList({ shown }: Pick<Toasts, 'shown'>) {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <ToastItem key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastItem({ toast }: { toast: Toasts['shown'][number] }) {
  const { close } = useContext(ToastsContext);
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const before = useRef<HTMLElement>(null);
  const held = hovered || focused || toast.work !== undefined;
  useEffect(() => {
    if (held) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Nobody reads it in a tab in the background.
    const start = () => {
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(close, SHOWN_MS, toast.id);
    };
    start();
    document.addEventListener('visibilitychange', start);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', start);
    };
  }, [held, toast, close]);
  const leaves = (event: TargetedFocusEvent<HTMLElement>) =>
    !event.currentTarget.contains(event.relatedTarget as Node | null);
  const dismiss = () => {
    close(toast.id);
    setFocused(false);
    setHovered(false);
    // The focus must not get lost with the button.
    if (focused && before.current?.isConnected) before.current.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only holds the timer
    <div
      className={`toast ${toast.danger ? 'toast-danger' : ''}`}
      onMouseEnter={() => setHovered(true)}
      onMouseLeave={() => setHovered(false)}
      onFocusIn={(event) => {
        if (leaves(event) && event.relatedTarget instanceof HTMLElement) before.current = event.relatedTarget;
        setFocused(true);
      }}
      onFocusOut={(event) => {
        if (leaves(event)) setFocused(false);
      }}
    >
      <p>
        <Words text={toast.text} verbatim={toast.verbatim} />
        {toast.detail && (
          <span className="toast-detail" aria-live="off">
            <Words text={toast.detail} />
          </span>
        )}
      </p>
      {toast.selected !== undefined && <SelectedText toast={toast} />}
      {toast.action && (
        <Button
          size="s"
          variant="ghost"
          onClick={() => {
            dismiss();
            toast.action!.run();
          }}
        >
          <Words text={toast.action.text} />
        </Button>
      )}
      {toast.work === undefined && (
        <IconButton size="s" label={shared.dismiss} onClick={dismiss}>
          <Icon of={X} size={16} />
        </IconButton>
      )}
    </div>
  );
}

function SelectedText({ toast }: { toast: Toast }) {
  const ref = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // Also if the same text is shown again.
    ref.current!.focus();
    ref.current!.select();
  }, [toast]);
  return <textarea ref={ref} className="control" aria-label={toast.text} rows={2} readOnly value={toast.selected} />;
}

/** Returns the function that shows a toast. */
export function useToast(): (toast: Toast) => void {
  return useContext(ToastContext).show;
}

/** Returns the function that removes the toast of long work. */
export function useCloseToast(): (work: string) => void {
  return useContext(ToastContext).close;
}
