import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { settingsTable } from '#src/platform/config.js';

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
});
