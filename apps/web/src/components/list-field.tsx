import { Combobox } from './combobox.tsx';
import { Field, type FieldProps } from './field.tsx';

/** Something to choose from: as the API names it, and for people if that is another name. */
export interface Choice {
  value: string;
  name?: string;
}

interface ListFieldProps extends FieldProps {
  name: string;
  value: string;
  /** What the list offers. */
  choices: readonly Choice[];
  /** What is between two values: spaces or commas, or commas alone for values with spaces. */
  separator: ' ' | ', ';
  /** Returns a text as it is compared. */
  fold?: (text: string) => string;
  onValue: (value: string) => void;
  onFocus?: () => void;
  placeholder?: string;
}

const OFFERED_MAX = 50;
const LAST = { ' ': /[^\s,]*$/, ', ': /[^,\s][^,]*$|$/ };
const lower = (text: string) => text.toLowerCase();

/** A field of several values, which offers those that begin with what is typed. Others can be typed, too. */
export function ListField(props: ListFieldProps) {
  const { label, hint, error, optional, choices, separator, fold = lower, onValue, value, ...input } = props;
  const start = value.replace(LAST[separator], '');
  const typed = fold(value.slice(start.length));
  const chosen = new Set(start.split(separator === ' ' ? /[\s,]+/ : ',').map((each) => fold(each.trim())));
  const options = choices
    .filter((one) => !chosen.has(fold(one.value)))
    .filter((one) => [one.value, one.name ?? ''].some((text) => ` ${fold(text)}`.includes(` ${typed}`)))
    .slice(0, OFFERED_MAX);
  return (
    <Field {...{ label, hint, error, optional: optional ?? false }}>
      {(control) => (
        <Combobox
          {...input}
          {...control}
          value={value}
          autoCapitalize="none"
          label={label}
          options={options}
          keyOf={(option) => option.value}
          onInput={(event) => onValue(event.currentTarget.value)}
          onChoose={(option) => onValue(start + option.value + separator)}
        >
          {({ value: offered, name }) => (
            <>
              <span translate={false}>{offered}</span>
              {name !== undefined && <span className="quiet">{name}</span>}
            </>
          )}
        </Combobox>
      )}
    </Field>
  );
}
