import { newKey, WaymarkError } from '@waymark/client';
import { useCallback, useRef } from 'preact/hooks';

/**
 * Returns the function that sends a request with a key. After a lost response, a request with the same content has the
 * same key, so that nothing is done twice. After a response, even a refusal, the next request has a new one.
 */
export function useIdempotentRequest(): <Result>(
  content: string,
  send: (key: string) => Promise<Result>,
) => Promise<Result> {
  const last = useRef({ content: '', key: '' });
  return useCallback(async (content, send) => {
    if (last.current.key === '' || last.current.content !== content) last.current = { content, key: newKey() };
    const { key } = last.current;
    const forget = () => {
      if (last.current.key === key) last.current = { content: '', key: '' };
    };
    try {
      const result = await send(key);
      forget();
      return result;
    } catch (error) {
      if (error instanceof WaymarkError && !error.isUncertain) forget();
      throw error;
    }
  }, []);
}
