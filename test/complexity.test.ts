import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The linter has a rule for cognitive complexity, but none for the number of paths. */
const maxComplexity = 15;

const functions: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);

/** A switch counts once, however many cases it has: an exhaustive switch over a union is a table. */
const branches: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
  SyntaxKind.SwitchStatement,
  SyntaxKind.CatchClause,
]);

const logicalOperators: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
]);

interface MeasuredFunction {
  readonly node: Node;
  complexity: number;
}

function isBranch(node: Node): boolean {
  if (node.kind !== SyntaxKind.BinaryExpression) return branches.has(node.kind);
  const { operatorToken } = node as Node & { readonly operatorToken: Node };
  return logicalOperators.has(operatorToken.kind);
}

/** Every function of the file. The paths of a nested function count for the nested function only. */
function measure(file: SourceFile): MeasuredFunction[] {
  const measured: MeasuredFunction[] = [];
  const visit = (node: Node, enclosing: MeasuredFunction | null): void => {
    let inside = enclosing;
    if (functions.has(node.kind)) {
      inside = { node, complexity: 1 };
      measured.push(inside);
    } else if (inside !== null && isBranch(node)) inside.complexity += 1;
    node.forEachChild((child) => visit(child, inside));
  };
  visit(file, null);
  return measured;
}

function lineOf(file: SourceFile, { pos }: Node): number {
  const leading = /^\s*/.exec(file.text.slice(pos))?.[0].length ?? 0;
  return file.text.slice(0, pos + leading).split('\n').length;
}

describe('the sources', () => {
  it(`have no function with a cyclomatic complexity of more than ${maxComplexity}`, () => {
    const api = new API({ cwd: root });
    try {
      const project = api.updateSnapshot({ openProjects: [path.join(root, 'tsconfig.json')] }).getProjects()[0];
      const names = project?.program.getSourceFileNames() ?? [];
      const own = names.filter((name) => name.startsWith(`${root}/`) && !/\/node_modules\/|\.d\.ts$/.test(name));
      expect(own).not.to.deep.equal([]);
      const complex = own.flatMap((name) => {
        const file = project?.program.getSourceFile(name) as SourceFile;
        return measure(file)
          .filter(({ complexity }) => complexity > maxComplexity)
          .map(({ node, complexity }) => `${path.relative(root, name)}:${lineOf(file, node)} has ${complexity}`);
      });
      expect(complex).to.deep.equal([]);
    } finally {
      api.close();
    }
  });
});
