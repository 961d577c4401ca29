import type { AndOr, Case, Pipeline, PipelineNode, Redirected, Select, Statement } from 'unbash';
import type { For } from 'unbash';
import { evaluate } from './arithmetic.ts';
import { expandAll, expandText, readVariable } from './expand.ts';
import { runArithmeticFor, runFor, runWhile } from './loops.ts';
import { matchesPattern } from './patterns.ts';
import { runSimple } from './simple.ts';
import { withRedirects } from './redirect.ts';
import { deeper, fork, lineOf, spend, type Doubt, type State } from './state.ts';
import { runInDoubt } from './doubt.ts';
import { testExpression } from './test-expression.ts';

/** Runs commands in their order, as far as they can be known; nothing of the machine is run. */
export function runCommands(commands: readonly Statement[], state: State): void {
  for (const { command } of commands) {
    runNode(command, state);
    if (state.flow !== undefined) return;
  }
}

function runNode(node: PipelineNode | AndOr, state: State): void {
  spend(state);
  deeper(state, () => runOne(node, state));
}

function runOne(node: PipelineNode | AndOr, state: State): void {
  switch (node.type) {
    case 'Command': {
      runSimple(node, state);
      return;
    }
    case 'AndOr': {
      runAndOr(node, state);
      return;
    }
    case 'Pipeline': {
      runPipeline(node, state);
      return;
    }
    case 'If': {
      runIf([{ clause: node.clause, then: node.then }, ...node.elif], node.else, state);
      return;
    }
    case 'For': {
      runFor(itemsOf(node, state), node, state, runCommands);
      return;
    }
    case 'Select': {
      runFor(undefined, node, state, runCommands);
      return;
    }
    case 'ArithmeticFor': {
      runArithmeticFor(node, state, readVariable, runCommands);
      return;
    }
    case 'While': {
      runWhile(node, state, runCommands);
      return;
    }
    case 'Case': {
      runCase(node, state);
      return;
    }
    case 'BraceGroup': {
      runCommands(node.body.commands, state);
      return;
    }
    case 'Subshell': {
      const within = fork(state);
      runCommands(node.body.commands, within);
      state.out = within.out;
      state.status = within.status;
      return;
    }
    case 'Redirected': {
      runRedirected(node, state);
      return;
    }
    case 'Function':
      state.functions.set(node.name.value, { node, script: state.script });
      state.run.defined.set(node, { node, script: state.script });
      return;
    case 'TestCommand':
      state.status = testExpression(node.expression, state, { text: expandText, readVariable });
      return;
    case 'ArithmeticCommand': {
      const value =
        node.expression === undefined ? undefined : evaluate(node.expression, state, readVariable);
      state.status =
        value === undefined ? { why: 'a calculation with unknown values', of: 'test' } : value !== 0;
      return;
    }
    case 'Coproc':
      if (node.body.type === 'CompoundList') {
        runCommands(node.body.commands, state);
        return;
      }
      {
        runNode(node.body, state);
        return;
      }
  }
}

function itemsOf({ wordlist }: For | Select, state: State): readonly string[] {
  if (wordlist !== undefined) return expandAll(wordlist, state);
  const args = readVariable('@', state);
  return typeof args === 'string' ? [args] : args;
}

function runRedirected({ command, redirects }: Redirected, state: State): void {
  withRedirects(redirects, state, () => {
    runNode(command, state);
  });
}

/** `a && b || c`: what stands after a command that may fail is run, unless it cannot be known. */
function runAndOr({ commands, operators }: AndOr, state: State): void {
  const [first, ...rest] = commands;
  if (first !== undefined) runNode(first, state);
  for (const [at, next] of rest.entries()) {
    if (state.flow !== undefined) return;
    const { status } = state;
    const isAnd = operators[at] === '&&';
    if (typeof status === 'boolean') {
      if (status === isAnd) runNode(next, state);
    } else if (isAnd && status.of === 'command') {
      runNode(next, state);
    } else {
      runInDoubt(status, state, [(within) => runNode(next, within)]);
      state.status = status;
    }
  }
}

/** Each command gets the output of the one before it, and runs in a copy. */
function runPipeline({ commands, prefixes }: Pipeline, state: State): void {
  let { stdin } = state;
  for (const [at, command] of commands.entries()) {
    const isLast = at === commands.length - 1;
    const within = commands.length === 1 ? state : fork(state, { stdin, out: '' });
    runNode(command, within);
    if (within !== state) {
      if (isLast) state.out += within.out;
      state.status = within.status;
      stdin = { text: within.out };
    }
  }
  const isNegated = prefixes.some(({ type }) => type === 'Negation');
  if (!isNegated) return;
  const { status } = state;
  state.status = typeof status === 'boolean' ? !status : { ...status, of: 'test' };
}

type Branch = {
  readonly clause: { readonly commands: readonly Statement[] };
  readonly then: { readonly commands: readonly Statement[] };
};

function runIf(
  branches: readonly Branch[],
  otherwise: { readonly commands: readonly Statement[] } | undefined,
  state: State,
): void {
  const [first, ...rest] = branches;
  if (first === undefined) {
    if (otherwise !== undefined) runCommands(otherwise.commands, state);
    return;
  }
  runCommands(first.clause.commands, state);
  if (state.flow !== undefined) return;
  const { status } = state;
  if (status === true) runCommands(first.then.commands, state);
  else if (status === false) runIf(rest, otherwise, state);
  else
    runInDoubt(status, state, [
      (within) => runCommands(first.then.commands, within),
      (within) => runIf(rest, otherwise, within),
    ]);
}

function runCase({ word, items, pos }: Case, state: State): void {
  const text = expandText(word, state);
  const reason = state.run.reasons.find(text);
  const isKnown = reason === undefined && !isPlaceholder(text);
  if (!isKnown) {
    const why = reason?.why ?? `the value of a variable that is not set here`;
    const doubt: Doubt = {
      why: `${why}, in the case of line ${lineOf(state, pos)}`,
      isAnswer: reason?.isAnswer === true,
      of: 'test',
    };
    runInDoubt(
      doubt,
      state,
      items.map(
        ({ body }) =>
          (within) =>
            runCommands(body.commands, within),
      ),
    );
    return;
  }
  const found = items.find(({ pattern }) =>
    pattern.some((one) => matchesPattern(text, expandText(one, state), state)),
  );
  if (found !== undefined) runCommands(found.body.commands, state);
}

function isPlaceholder(text: string): boolean {
  return text.includes('\uE000');
}
