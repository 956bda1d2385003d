import type { Rule } from '@waymark/contract';
import { ArrowDown, ArrowUp, type IconNode, Plus, Trash2 } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button, IconButton } from '../components/button.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Fold } from '../components/fold.tsx';
import { Icon } from '../components/icon.tsx';
import { ListField } from '../components/list-field.tsx';
import { Words } from '../components/words.tsx';
import { ruleTexts as texts } from '../texts/link-form.ts';
import { CHOICES, languages } from './choices.ts';
import { LISTS, type RuleValues, ruleText, ruleValuesOf } from './rule-values.ts';

interface RuleFieldsProps {
  rules: readonly RuleValues[];
  /** What is wrong with a field of a rule. */
  error: { at: number; name: string; message: string } | null;
  onChange: (rules: readonly RuleValues[]) => void;
}

const ADD = 'add-rule';

/** The rules of a link, in the order in which they are tried. */
export function RuleFields({ rules, error, onChange }: RuleFieldsProps) {
  /** The id of what gets the focus after a change: what had it may be moved or gone. */
  const focused = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (focused.current !== null) document.getElementById(focused.current)!.focus();
    focused.current = null;
  });
  const change = (next: readonly RuleValues[], focus: string) => {
    focused.current = focus;
    onChange(next);
  };
  return (
    <div className="rules">
      <p className="field-hint">{texts.hint}</p>
      {rules.map((rule, at) => {
        const id = `rule-${rule.key}`;
        const wrong = error?.at === at ? error : null;
        const move = (by: -1 | 1, label: string, icon: IconNode) => (
          <IconButton
            id={id + by}
            label={label}
            busy={rules[at + by] === undefined}
            onClick={() => change(rules.toSpliced(at, 1).toSpliced(at + by, 0, rule), id + by)}
          >
            <Icon of={icon} size={16} />
          </IconButton>
        );
        return (
          <fieldset key={rule.key} className="rule" aria-label={texts.rule(at + 1)}>
            <Fold
              title={<Words text={`${at + 1}. ${ruleText(rule)}`} />}
              id={id}
              open={rule.was === null}
              isWrong={wrong !== null}
            >
              <OneRule rule={rule} error={wrong} onChange={(next) => onChange(rules.with(at, next))} />
            </Fold>
            <div className="rule-buttons">
              {move(-1, texts.up(at + 1), ArrowUp)}
              {move(1, texts.down(at + 1), ArrowDown)}
              <IconButton label={texts.remove(at + 1)} onClick={() => change(rules.toSpliced(at, 1), ADD)}>
                <Icon of={Trash2} size={16} />
              </IconButton>
            </div>
          </fieldset>
        );
      })}
      <Button
        id={ADD}
        onClick={() => {
          const rule = ruleValuesOf(null);
          change([...rules, rule], `rule-${rule.key}`);
        }}
      >
        <Icon of={Plus} size={16} />
        {texts.add}
      </Button>
    </div>
  );
}

interface OneRuleProps {
  rule: RuleValues;
  error: { name: string; message: string } | null;
  onChange: (rule: RuleValues) => void;
}

function OneRule({ rule, error, onChange }: OneRuleProps) {
  const field = (name: keyof Rule) => ({
    name,
    label: texts.labels[name],
    value: rule[name],
    error: error?.name === name ? error.message : null,
  });
  const input = (name: keyof Rule) => ({
    ...field(name),
    onInput: (event: { currentTarget: { value: string } }) => onChange({ ...rule, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <TextField {...input('to')} inputMode="url" autoCapitalize="none" autoComplete="off" spellcheck={false} />
      <p className="field-hint">{texts.conditions}</p>
      <div className="form-columns">
        {LISTS.map((name) => (
          <ListField
            key={name}
            {...field(name)}
            choices={CHOICES[name]}
            separator=", "
            placeholder={texts.any}
            onValue={(value) => onChange({ ...rule, [name]: value })}
          />
        ))}
        <SelectField {...input('language')}>
          <option value="">{texts.any}</option>
          {languages(rule.was?.language ?? '').map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField {...input('share')} type="number" min="0" max="100" />
        <TextField {...input('from')} type="datetime-local" />
        <TextField {...input('until')} type="datetime-local" />
      </div>
    </>
  );
}
