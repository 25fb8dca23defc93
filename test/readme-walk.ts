import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Service } from '#test/support/service.js';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
type Loose = any;

const text = ['README.md', 'docs/corrections.md']
  .map((name) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8'))
  .join('\n');

/** The shell commands in sections of the README and of the page that continues it, in order. */
const blocksOf = (...sections: string[]) =>
  sections.flatMap((name) => {
    const section = text.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? expect.fail(name);
    return [...section.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block as string);
  });

/** The commands of the README do what it says, in this shell. */
export function walksIn(shell: string): void {
  describe(`the documentation walks in ${shell}`, () => {
    const service = Service.duringSuite();

    before(function () {
      if (spawnSync(shell, ['-c', ':']).status === 0) return;
      if (process.env['CI']) throw new Error(`${shell} is not installed; .ci/run installs it.`);
      this.skip();
    });

    it('has no comments, which an interactive zsh executes', () => {
      expect(blocksOf('walk', 'corrections').join('\n')).not.to.match(/^\s*#/m);
    });

    it('from nothing to a statement and through corrections, with calls that work as they are printed', async () => {
      const { stdout, json } = await run(shell, 'walk', 'corrections');
      const breakdown = json.find((answer) => answer.events !== undefined);
      expect(breakdown.total).to.equal(3200);
      expect(breakdown.events[0].trace.parts).to.deep.equal([
        { tierIndex: 0, rate: 0.08, part: 10_000 },
        { tierIndex: 1, rate: 0.12, part: 20_000 },
      ]);
      expect(json.find((answer) => answer.generated).summary.netPayout).to.equal(10_400);
      expect(stdout).to.include('Ben,ben@acme.test,10400.00,0.00,0.00,10400.00,draft');
      expect(stdout).to.match(/code: 'unknown_value',\n[^}]*\bWon\b/);
      const corrected = json.find((answer) => answer.warnings !== undefined && answer.version > 1);
      expect(corrected.warnings.map(({ code }: Loose) => code)).not.to.include('unknown_value');
      const refund = json.find((answer) => answer.deal?.deal_id === 'D-4');
      expect([refund.total, refund.events.length]).to.deep.equal([-1800, 1]);
      const late = json.find((answer) => answer.blocked !== undefined);
      expect(late).to.deep.include({ statementLocked: true });
      expect(late.blocked).to.deep.include({ statementLocked: true, periods: ['2026-Q1'] });
      const [pending, done] = json.filter((answer) => answer.delta !== undefined);
      expect(pending).to.include({ action: 'requires_approval', delta: 600, approvalThreshold: 500 });
      expect(done).to.include({ action: 'trued_up', delta: 600 });
      expect(done.lines).to.have.length(1);
      expect(done.lines[0]).to.include({
        dealId: 'D-5',
        ruleName: 'New business',
        approved: 0,
        live: 600,
        delta: 600,
      });
      expect(stdout).to.include('Ben,ben@acme.test,10400.00,0.00,600.00,11000.00,approved');
    });

    /** Runs the blocks of sections of the README in order in one shell and a new workspace. */
    async function run(shell: string, ...sections: string[]): Promise<{ stdout: string; json: Loose[] }> {
      const { apiKey } = await service.workspace({ name: 'Acme' });
      const { stdout } = await promisify(execFile)(
        shell,
        ['-euo', 'pipefail', '-c', blocksOf(...sections).join('\n')],
        {
          env: { PATH: process.env['PATH'], URL: service.url, KEY: apiKey },
        },
      );
      expect(stdout).to.not.include('"statusCode"');
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
      return { stdout, json: lines.map((line) => JSON.parse(line)) };
    }
  });
}
