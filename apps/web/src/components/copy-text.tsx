import { Check, Copy } from 'lucide';
import { useState } from 'preact/hooks';
import { shared } from '../texts/shared.ts';
import { IconButton } from './button.tsx';
import { writeClipboard } from './clipboard.ts';
import { Icon } from './icon.tsx';
import { type Toast, useToast } from './toast.tsx';
import './copy-text.css';

const CONFIRMED_MS = 2_000;

interface CopyProps {
  text: string;
  /** Names the button. */
  label: string;
  /** Says what was copied. */
  copied: string;
  onCopied?: () => void;
  /** Takes the focus when its dialog opens. */
  autofocus?: boolean;
}

/** A text to copy, for example a key or a configuration, with a button that does it. */
export function CopyText(props: CopyProps) {
  return (
    <div className="copy-text">
      <pre translate={false}>{props.text}</pre>
      <CopyButton {...props} />
    </div>
  );
}

/** A button that copies `text`. Shows for two seconds that it did. */
export function CopyButton({ text, label, copied, onCopied, autofocus }: CopyProps) {
  const [confirmed, setConfirmed] = useState(false);
  const toast = useToast();
  const copy = async () => {
    if (!(await copyToClipboard({ text, copied }, toast))) return;
    setConfirmed(true);
    onCopied?.();
    setTimeout(setConfirmed, CONFIRMED_MS, false);
  };
  return (
    <IconButton label={confirmed ? shared.copied : label} size="s" onClick={copy} autofocus={autofocus}>
      {confirmed ? <Icon of={Check} size={16} /> : <Icon of={Copy} size={16} />}
    </IconButton>
  );
}

/** Copies `text`, or shows it selected if the browser does not allow that. Returns true if it was copied. */
export async function copyToClipboard(
  { text, copied }: Pick<CopyProps, 'text' | 'copied'>,
  toast: (toast: Toast) => void,
): Promise<boolean> {
  const done = await writeClipboard(text);
  const said = done ? { text: copied, verbatim: text } : { text: shared.copyFailed, selected: text };
  toast({ ...said, endsWith: 'dialog' });
  return done;
}
