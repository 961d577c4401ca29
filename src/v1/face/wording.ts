/** What v1 says (gateway-api C); it has one field for it, `message`. */
export const messages = {
  forbidden: 'You do not have permission to call this API, please contact your administrator.',
  mappingCreated: 'User mapping is created',
  clusterSwitched: 'Cluster switched',
  created: (name: string) => `${name} is created`,
  updated: (name: string) => `${name} is updated`,
  // As documented: the vendor's text has the words, not the names.
  interceptorExists: 'interceptorName for cluster must be unique.',
  noPhysicalTopic: (name: string) => `Physical topic named ${name} does not exist in your kafka cluster`,
  physicalNameFixed: "You can't update the physicalTopicName for an existing topic mapping.",
  // Not documented, as all below.
  typeFixed: "You can't update the type for an existing topic mapping.",
  otherUsername: 'The username of the path is not that of the body',
  noVirtualCluster: (name: string) => `The virtual cluster ${name} does not exist`,
  noMapping: (name: string) => `The user mapping ${name} does not exist`,
  noTopics: (name: string) => `The virtual cluster ${name} has no topic mappings`,
  noTopic: (name: string) => `The topic mapping ${name} does not exist`,
  noRule: 'The concentration rule does not exist',
  noParameter: (name: string) => `The query parameter ${name} is missing`,
} as const;
