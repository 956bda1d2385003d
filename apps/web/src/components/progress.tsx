import './progress.css';

/** A bar for long work. `text` says in words how far it is. Screen readers read it when they are asked to. */
export function Progress({ label, value, max, text }: { label: string; value: number; max: number; text: string }) {
  return (
    <div className="progress">
      <progress aria-label={label} value={value} max={Math.max(max, 1)} />
      <p key={text}>{text}</p>
    </div>
  );
}
