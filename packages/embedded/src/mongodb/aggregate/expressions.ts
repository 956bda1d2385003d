import { type Document, getField, isDocument, render, setField } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { expressionValue } from '../query/path.ts';
import { OPERATORS } from './operators.ts';

/** Variables of an expression, without their `$$`; `ROOT` and `CURRENT` are the document and need no entry. */
export type Variables = { [name: string]: unknown };

/** A compiled expression. `undefined` is a missing value; `REMOVE` makes `$project` and `$set` leave the field out. */
export type Expression = (root: Document, variables?: Variables) => unknown;

/** An operator of the allow-list: gets the operand and compiles it. */
export type Operator = (operand: unknown, compiler: Compiler) => Expression;

/** What an operator compiles its operands with. */
export interface Compiler {
  compile(expression: unknown, extraVariables?: readonly string[]): Expression;
  /** The operands of an operator that takes exactly `count`, or between `count` and `max`. */
  operands(name: string, operand: unknown, count: number, max?: number): Expression[];
}

/**
 * Compiles an aggregation expression. `variables` are those that stand outside (`let` of a command or of `$lookup`).
 * Throws code 168 for an operator that is unknown or not supported, 17276 for an undefined variable.
 */
export function compileExpression(expression: unknown, variables: Variables = {}): Expression {
  const compiled = compileIn(expression, new Set(Object.keys(variables)));
  return (root, inner) => compiled(root, inner ?? variables);
}

const SYSTEM_VARIABLES = new Set(['ROOT', 'CURRENT', 'REMOVE', 'NOW']);

function compileIn(expression: unknown, names: ReadonlySet<string>): Expression {
  if (typeof expression === 'string' && expression.startsWith('$')) return compileReference(expression, names);
  if (Array.isArray(expression)) {
    const items = expression.map((item) => compileIn(item, names));
    return (root, variables) => items.map((item) => item(root, variables) ?? null);
  }
  if (!isDocument(expression)) return () => expression;
  const keys = Object.keys(expression);
  const [first] = keys;
  if (first?.startsWith('$')) {
    if (keys.length !== 1)
      throw new CommandError(
        15983,
        `An object representing an expression must have exactly one field: ${render(expression)}`,
      );
    const operator = Object.hasOwn(OPERATORS, first) ? OPERATORS[first] : undefined;
    if (!operator) throw new CommandError(168, `Unrecognized expression '${first}'`);
    return operator(expression[first], compilerFor(names));
  }
  const fields = keys.map((name) => {
    if (name.includes('.'))
      throw new CommandError(
        16412,
        `FieldPath field names may not contain '.'. Consider using $getField or $setField.`,
      );
    return [name, compileIn(expression[name], names)] as const;
  });
  return (root, variables) => {
    const document: Document = {};
    for (const [name, field] of fields) {
      const value = field(root, variables);
      if (value !== undefined) setField(document, name, value);
    }
    return document;
  };
}

function compilerFor(names: ReadonlySet<string>): Compiler {
  const compile = (expression: unknown, extra: readonly string[] = []) =>
    compileIn(expression, extra.length === 0 ? names : new Set([...names, ...extra]));
  return {
    compile,
    operands(name, operand, count, max = count) {
      const list = Array.isArray(operand) ? operand : [operand];
      if (list.length < count || list.length > max) {
        const wanted = count === max ? `exactly ${count} arguments` : `at least ${count} arguments, and at most ${max}`;
        throw new CommandError(16020, `Expression ${name} takes ${wanted}. ${list.length} were passed in.`);
      }
      return list.map((item) => compile(item));
    },
  };
}

function compileReference(reference: string, names: ReadonlySet<string>): Expression {
  if (!reference.startsWith('$$')) {
    const path = fieldPath(reference.slice(1));
    const [only] = path;
    if (path.length === 1) return (root) => getField(root, only as string);
    return (root) => expressionValue(root, path);
  }
  const [name = '', ...path] = fieldPath(reference.slice(2));
  if (!SYSTEM_VARIABLES.has(name) && !names.has(name)) {
    throw new CommandError(17276, `Use of undefined variable: ${name}`);
  }
  return (root, variables) => expressionValue(variable(name, root, variables), path);
}

function variable(name: string, root: Document, variables: Variables | undefined): unknown {
  if (variables && Object.hasOwn(variables, name)) return variables[name];
  if (name === 'ROOT' || name === 'CURRENT') return root;
  if (name === 'NOW') return new Date();
  return undefined; // REMOVE
}

/** The components of a field path; throws for an empty one or one that begins with `$`. */
export function fieldPath(text: string): string[] {
  const path = text.split('.');
  for (const component of path) {
    if (component === '') throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
    if (component.startsWith('$'))
      throw new CommandError(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
      );
  }
  return path;
}
