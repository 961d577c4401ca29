import { readFileSync } from 'node:fs';

/** A description of two invented kinds, TopicView and QuotaPlan. */
export const TOPIC_VIEWS = readFileSync(new URL('../described/topic-views.yaml', import.meta.url), 'utf8');
