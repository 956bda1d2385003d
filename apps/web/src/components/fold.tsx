import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface FoldProps {
  title: ComponentChildren;
  /** The id of what opens it. */
  id?: string;
  /** Whether it is open at first. */
  open?: boolean;
  /** If something in it is wrong, it opens. */
  isWrong?: boolean;
  children: ComponentChildren;
}

/** Fields that are folded away until somebody wants them. */
export function Fold({ title, id, open = false, isWrong = false, children }: FoldProps) {
  const details = useRef<HTMLDetailsElement>(null);
  // Before the field gets the focus.
  useLayoutEffect(() => {
    if (isWrong) details.current!.open = true;
  }, [isWrong]);
  return (
    <details ref={details} className="fold" open={open}>
      <summary id={id}>{title}</summary>
      <div className="fold-fields">{children}</div>
    </details>
  );
}
