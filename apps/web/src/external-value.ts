import { useLayoutEffect, useState } from 'preact/hooks';

/** Returns the value of `read` and renders again when it changes. `subscribe` adds a listener and returns its removal. */
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
