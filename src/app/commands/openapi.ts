import { operations } from '../../operations.js';
import { describeApi } from '../../platform/openapi/document.js';
import { serviceVersion } from '../../platform/version.js';
import { records } from '../../records.js';

export function printOpenApi(): void {
  process.stdout.write(`${JSON.stringify(describeApi(operations, serviceVersion, records), null, 2)}\n`);
}
