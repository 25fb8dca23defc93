import { describeTimeline } from './timeline-tests.js';

describeTimeline(true);
