import { useCallback, useRef } from 'preact/hooks';

/** Returns a new `Idempotency-Key`. Unlike `crypto.randomUUID`, this also works over plain HTTP. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the function that returns the key of a request. A request with the same content as the one before has the same
 * key: it does nothing twice if only the response got lost.
 */
export function useIdempotencyKey(): (content: string) => string {
  const last = useRef({ content: '', key: '' });
  return useCallback((content) => {
    if (last.current.key === '' || last.current.content !== content) last.current = { content, key: newKey() };
    return last.current.key;
  }, []);
}
