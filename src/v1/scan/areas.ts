/** A part of the API that a version of the gateway removes. */
export type Area = {
  readonly name: string;
  readonly deprecated: string;
  readonly removed: string;
  /** What takes its place. */
  readonly replacement: string;
};

const V1 = { deprecated: '3.15.0', removed: '3.21.0' };

/** In the order of a report. */
export const AREAS = {
  tokens: { ...V1, name: 'Auth tokens v1', replacement: 'POST /gateway/v2/token' },
  virtualClusters: { ...V1, name: 'Virtual clusters v1', replacement: '/gateway/v2/virtual-cluster' },
  userMappings: {
    ...V1,
    name: 'User mappings v1',
    replacement: '/gateway/v2/service-account and /gateway/v2/group',
  },
  interceptors: {
    ...V1,
    name: 'Interceptors v1',
    replacement: '/gateway/v2/interceptor and /gateway/v2/interceptor/resolve',
  },
  plugins: { ...V1, name: 'Plugins v1', replacement: 'GET /gateway/v2/plugin' },
  concentrationRules: {
    ...V1,
    name: 'Concentration rules v1',
    replacement: '/gateway/v2/concentration-rule',
  },
  clusterSwitching: { ...V1, name: 'Cluster switching v1', replacement: '/gateway/v2/cluster-switching' },
  topicMappings: {
    ...V1,
    name: 'Topic mappings v1',
    replacement: '/gateway/v2/alias-topic, /gateway/v2/concentrated-topic and topic views',
  },
  unknown: { ...V1, name: 'Admin API v1', replacement: 'the API below /gateway/v2' },
  health: {
    name: 'Legacy health endpoint',
    deprecated: '3.12.0',
    removed: '3.21.0',
    replacement: '/health/live and /health/ready',
  },
} as const satisfies Readonly<Record<string, Area>>;
export type AreaName = keyof typeof AREAS;

const BY_SEGMENT: Readonly<Record<string, AreaName>> = {
  userMappings: 'userMappings',
  interceptors: 'interceptors',
  plugins: 'plugins',
  pclusters: 'clusterSwitching',
  vclusters: 'virtualClusters',
};

/** The area of a path below /admin, by its first segment and what follows in the line. */
export function areaOf(segment: string, rest: string): AreaName {
  const area = BY_SEGMENT[segment] ?? 'unknown';
  if (area !== 'virtualClusters') return area;
  if (rest.includes('/concentration-rules')) return 'concentrationRules';
  if (/\/topics\b/.test(rest)) return 'topicMappings';
  return /\/username\b/.test(rest) ? 'tokens' : area;
}
