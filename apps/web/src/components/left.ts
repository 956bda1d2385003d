import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Returns a ref that is true once the component is gone: a browser does not always let a page hold Back. */
export function useLeft(): RefObject<boolean> {
  const left = useRef(false);
  useEffect(
    () => () => {
      left.current = true;
    },
    [],
  );
  return left;
}
