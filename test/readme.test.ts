import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { settingsTable } from '#src/platform/config.js';
import { startTestService } from './support/test-service.js';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

describe('the README', () => {
  it('lists every setting with its default and meaning, as the configuration states them', () => {
    const table = readme.split('<!-- settings -->')[1]?.split('<!-- /settings -->')[0]?.trim().split('\n').slice(2);
    const stated = settingsTable().map(
      ({ name, fallback, description }) =>
        `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${description} |`,
    );
    expect(table).to.deep.equal(stated);
  });

  it('walks from nothing to a statement with calls that work as they are printed', async () => {
    const script = /<!-- walk -->\s*```bash\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const service = await startTestService();
    try {
      const { apiKey } = await service.workspace({ name: 'Acme' });
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
        env: { PATH: process.env['PATH'], URL: service.url, KEY: apiKey },
      });
      expect(stdout).to.not.include('"statusCode"');
      const json = stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line));
      const breakdown = json.find((answer) => answer.events !== undefined);
      expect(breakdown.total).to.equal(3200);
      expect(breakdown.events[0].trace.parts).to.deep.equal([
        { tierIndex: 0, rate: 0.08, part: 10_000 },
        { tierIndex: 1, rate: 0.12, part: 20_000 },
      ]);
      expect(json.find((answer) => answer.generated).summary.netPayout).to.equal(10_400);
      expect(stdout).to.include('Ben,ben@acme.test,10400.00,0.00,0.00,10400.00,draft');
    } finally {
      await service.stop();
    }
  });
});
