import { operations } from '../operations.js';
import { type ApiDocument, describeApi } from '../platform/openapi/document.js';
import { serviceVersion } from '../platform/version.js';
import { describedEvents, records } from '../records.js';
import { tagDescriptions } from './tag-descriptions.js';

/** The OpenAPI document of the service, in the version that the specification prescribes, or in 3.1. */
export function describeService(openapi: '3.0' | '3.1' = '3.0'): ApiDocument {
  return describeApi(
    { operations, version: serviceVersion, records, events: describedEvents, tags: tagDescriptions },
    openapi,
  );
}
