import { numberText } from '../texts/locale.ts';
import { shared } from '../texts/shared.ts';
import { TextField } from './field.tsx';

/** More than this is deleted only after its number was typed. */
export const TYPED_ABOVE = 100;

/** Asks to type a number, with or without separators, before the form can be submitted. */
export function TypedCountField({ count }: { count: number }) {
  const label = shared.typeCount(numberText(count));
  return (
    <TextField
      label={label}
      title={label}
      pattern={numberText(count).replaceAll(',', ',?')}
      inputMode="numeric"
      autoComplete="off"
      required
    />
  );
}
