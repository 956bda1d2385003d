import { Check, Copy } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { shared } from '../texts/shared.ts';
import { IconButton } from './button.tsx';
import { writeClipboard } from './clipboard.ts';
import { type Toast, useToast } from './toast.tsx';
import './copy-text.css';

const CONFIRMED_MS = 2_000;

interface CopyProps {
  text: string;
  /** Names the button. */
  label: string;
  onCopied?: () => void;
}

/** A text to copy, for example a key or a configuration, with a button that does it. */
export function CopyText(props: CopyProps) {
  return (
    <div className="copy-text">
      <pre>{props.text}</pre>
      <CopyButton {...props} />
    </div>
  );
}

/** A button that copies `text`. Shows for two seconds that it did. */
export function CopyButton({ text, label, onCopied }: CopyProps) {
  const [copied, setCopied] = useState(false);
  const toast = useToast();
  const copy = async () => {
    if (!(await copyToClipboard(text, toast))) return;
    setCopied(true);
    onCopied?.();
    setTimeout(setCopied, CONFIRMED_MS, false);
  };
  return (
    <IconButton label={copied ? shared.copied : label} size="s" onClick={copy}>
      {copied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
    </IconButton>
  );
}

/** Copies `text`, or shows it selected if the browser does not allow that. Returns true if it was copied. */
export async function copyToClipboard(text: string, toast: (toast: Toast) => void): Promise<boolean> {
  const copied = await writeClipboard(text);
  toast(copied ? { text: shared.copied } : { text: shared.copyFailed, selected: text });
  return copied;
}
