import type { parse } from '@bufbuild/cel';

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
