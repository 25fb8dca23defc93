import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeService } from '#src/app/describe-service.js';
import { operations } from '#src/operations.js';
import { offeredTools } from '#src/platform/mcp/tool-definition.js';
import { isAnnounced } from './announcements.js';
import { compareRecords, printChange } from './compare.js';
import { readContract } from './contract.js';
import { parseRecord, printRecord } from './record.js';

const root = new URL('../../../', import.meta.url);
const file = new URL('docs/reference/api-contract.txt', root);

describe('the contract of the API and of the MCP tools', () => {
  const tools = offeredTools(operations).map(({ definition }) => definition);
  const contract = readContract(describeService(), tools);
  const current = printRecord(contract);

  it('is the one recorded in docs/reference/api-contract.txt (`npm run generate` writes the file)', () => {
    const recorded = readFileSync(file, 'utf8');
    if (recorded === current) return;
    const changes = compareRecords(parseRecord(recorded), parseRecord(current));
    if (process.env['UPDATE'] !== '1')
      expect.fail(`${changes.map(printChange).join('\n')}\n\nRecord what is intended with \`npm run generate\`.`);
    const changelog = readFileSync(new URL('CHANGELOG.md', root), 'utf8');
    const unannounced = changes.filter((change) => change.kind === 'breaking' && !isAnnounced(change, changelog));
    if (unannounced.length > 0)
      expect.fail(
        `${unannounced.map(printChange).join('\n')}\n\nDescribe these under "### Breaking" in the newest section of CHANGELOG.md, with the names of operation or tool and field in backticks.`,
      );
    writeFileSync(file, current);
  });

  it('is recorded without loss', () => {
    expect(parseRecord(current).contract).to.deep.equal(contract);
  });
});
