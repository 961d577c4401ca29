import type { CelEnv, parse } from '@bufbuild/cel';
import { list } from '../../model/text/list.ts';
import { suggest } from '../../model/text/suggest.ts';

/** Why an expression cannot be used, and what helps. */
export type Fault = { readonly fault: string; readonly hint: string };

/** The variables that an expression uses, or what it uses that does not exist. */
export function findFault(
  expr: Expr,
  variables: readonly string[],
  env: CelEnv,
): { readonly variables: ReadonlySet<string> } | Fault {
  const used = new Set<string>();
  const visit = (one: Expr, bound: readonly string[], depth: number): Fault | undefined => {
    const { exprKind } = one;
    if (depth > DEEPEST)
      return { fault: `the expression has more than ${DEEPEST} levels`, hint: 'split the policy' };
    switch (exprKind.case) {
      case 'identExpr': {
        const { name } = exprKind.value;
        if (bound.includes(name)) return undefined;
        used.add(name);
        return variables.includes(name) || TYPES.includes(name)
          ? undefined
          : unknownVariable(name, variables);
      }
      case 'callExpr': {
        const { function: name } = exprKind.value;
        if (!isOperator(name) && env.funcs.find(name) === undefined) return unknownFunction(name);
        break;
      }
      case 'structExpr':
        if (exprKind.value.messageName !== '')
          return { fault: `${exprKind.value.messageName} is no type here`, hint: 'use maps: {"key": value}' };
        break;
      default:
    }
    const inner =
      exprKind.case === 'comprehensionExpr'
        ? [...bound, exprKind.value.accuVar, exprKind.value.iterVar, exprKind.value.iterVar2]
        : bound;
    for (const part of partsOf(one)) {
      const fault = visit(part, inner, depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return visit(expr, [], 0) ?? { variables: new Set(variables.filter((name) => used.has(name))) };
}

/** Deeper ones could use up the stack. */
const DEEPEST = 200;

/** The names of types are values: `type(x) == string`. */
const TYPES: readonly string[] = [
  'bool',
  'bytes',
  'double',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'uint',
];

/** Operators are calls of functions whose names no source can have. */
function isOperator(name: string): boolean {
  return !/^[a-z]\w*$/i.test(name);
}

function unknownVariable(name: string, variables: readonly string[]): Fault {
  const near = suggest(name, variables);
  const hint = near === undefined ? `use ${list(variables)}` : `did you mean ${near}?`;
  return { fault: `there is no variable ${name}`, hint };
}

function unknownFunction(name: string): Fault {
  const near = suggest(name, FUNCTIONS);
  const hint = near === undefined ? `use ${list(FUNCTIONS)}` : `did you mean ${near}?`;
  return { fault: `there is no function ${name}`, hint };
}

/** The most usual ones, for hints. */
const FUNCTIONS: readonly string[] = [
  'all',
  'contains',
  'endsWith',
  'exists',
  'exists_one',
  'filter',
  'has',
  'map',
  'matches',
  'matchesEveryTopic',
  'matchesGlob',
  'size',
  'startsWith',
  'texts',
  'values',
];

/** An expression as CEL defines it, and parsers print it. */
export type Expr = ReturnType<typeof parse>['expr'];

/** The expressions directly below one. */
export function partsOf({ exprKind }: Expr): readonly Expr[] {
  switch (exprKind.case) {
    case 'selectExpr':
      return present([exprKind.value.operand]);
    case 'callExpr':
      return present([exprKind.value.target, ...exprKind.value.args]);
    case 'listExpr':
      return exprKind.value.elements;
    case 'structExpr':
      return present(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ]),
      );
    case 'comprehensionExpr': {
      const { accuInit, iterRange, loopCondition, loopStep, result } = exprKind.value;
      return present([accuInit, iterRange, loopCondition, loopStep, result]);
    }
    default:
      return [];
  }
}

/** The number of expressions in one, with itself. */
export function sizeOf(expr: Expr): number {
  return partsOf(expr).reduce((size, part) => size + sizeOf(part), 1);
}

function present(parts: readonly (Expr | undefined)[]): readonly Expr[] {
  return parts.filter((part) => part !== undefined);
}
