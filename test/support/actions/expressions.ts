import { data, Evaluator, Lexer, Parser } from '@actions/expressions';

/** What `github`, `inputs`, `steps` and the others are in the expressions of a step. */
export type Contexts = Readonly<Record<string, unknown>>;
/** How the steps before this one ended. */
export type Status = 'success' | 'failure';

/** A text with each `${{ … }}` in it evaluated, by GitHub's own evaluator. */
export function interpolate(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, expression: string) =>
    evaluate(expression, contexts, 'success').coerceString(),
  );
}

/** Whether a step or job with this `if` runs: only after success, unless the condition asks for the status itself. */
export function holds(condition: string | boolean | undefined, contexts: Contexts, status: Status): boolean {
  const text = String(condition ?? 'success()').trim();
  const [, expression = text] = /^\$\{\{(.*)\}\}$/s.exec(text) ?? [];
  if (expression.includes('${{')) throw new Error(`always true, because it is a text: ${text}`);
  const asks = /\b(?:success|failure|always|cancelled)\s*\(/.test(expression);
  const result = evaluate(asks ? expression : `success() && (${expression})`, contexts, status);
  return result.kind === data.Kind.Boolean ? result.coerceString() === 'true' : result.coerceString() !== '';
}

function evaluate(expression: string, contexts: Contexts, status: Status): data.ExpressionData {
  const functions = [
    statusFunction('success', status === 'success'),
    statusFunction('failure', status === 'failure'),
    statusFunction('always', true),
    statusFunction('cancelled', false),
  ];
  const { tokens } = new Lexer(expression).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), functions).parse();
  const values: unknown = JSON.parse(JSON.stringify(contexts), data.reviver);
  if (!(values instanceof data.Dictionary)) throw new Error('contexts are no dictionary');
  return new Evaluator(parsed, values, new Map(functions.map((one) => [one.name, one]))).evaluate();
}

function statusFunction(
  name: string,
  value: boolean,
): {
  readonly name: string;
  readonly minArgs: number;
  readonly maxArgs: number;
  readonly call: () => data.ExpressionData;
} {
  return { name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(value) };
}
