import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settingsTable } from '#src/app/config.js';
import { walksIn } from './readme-walk.js';

const page = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

describe('the documentation', () => {
  it('lists every setting with its default and description', () => {
    const table = page('docs/configuration.md')
      .split('<!-- settings -->')[1]
      ?.split('<!-- /settings -->')[0]
      ?.trim()
      .split('\n')
      .slice(2);
    const stated = settingsTable().map(
      ({ name, fallback, description }) =>
        `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${description} |`,
    );
    expect(table).to.deep.equal(stated);
  });
});

walksIn('bash');
