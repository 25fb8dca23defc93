import { operations } from '../../operations.js';
import { describeApi } from '../../platform/openapi/document.js';
import { serviceVersion } from '../../platform/version.js';
import { describedEvents, records } from '../../records.js';

export function printOpenApi(): void {
  process.stdout.write(
    `${JSON.stringify(describeApi({ operations, version: serviceVersion, records, events: describedEvents }), null, 2)}\n`,
  );
}
