import type { ButtonHTMLAttributes, Ref } from 'preact';
import './button.css';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One `primary` at most in a view or dialog. `danger` only for what cannot be undone. */
  variant?: 'primary' | 'secondary' | 'ghost' | 'danger';
  size?: 'm' | 's';
  /** While true the button does nothing and tells screen readers so. It keeps the focus and its size. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button. Its type is `button` by default. */
export function Button({ variant = 'secondary', size = 'm', busy = false, className = '', ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={`button button-${variant} button-${size} ${busy ? 'button-busy' : ''} ${className}`}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : props.onClick}
    />
  );
}

/** A button that shows only an icon. `label` is its name and its tooltip. */
export function IconButton({ label, variant = 'ghost', className = '', ...props }: ButtonProps & { label: string }) {
  return (
    <Button {...props} variant={variant} className={`button-icon ${className}`} aria-label={label} title={label} />
  );
}
