import { useLayoutEffect, useState } from 'preact/hooks';

/** Returns what `read` returns, also after it changes. `subscribe` calls its listener then, and returns how to stop it. */
export function useExternalValue<Value>(subscribe: (listener: () => void) => () => void, read: () => Value): Value {
  const [value, setValue] = useState(read);
  useLayoutEffect(() => {
    const update = () => setValue(read);
    // It may have changed since the first render.
    update();
    return subscribe(update);
  }, [subscribe, read]);
  return value;
}
