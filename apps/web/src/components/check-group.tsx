import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CheckGroupProps {
  legend: string;
  error: string | null;
  children: ComponentChildren;
}

/** Check boxes that are one field. */
export function CheckGroup({ legend, error, children }: CheckGroupProps) {
  const id = useId();
  return (
    <fieldset className="field" aria-describedby={error === null ? undefined : id}>
      <legend>{legend}</legend>
      {error !== null && (
        <p key={error} className="field-error" id={id}>
          {error}
        </p>
      )}
      {children}
    </fieldset>
  );
}
