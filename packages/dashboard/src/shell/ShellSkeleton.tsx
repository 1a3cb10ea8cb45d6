import { Box, Skeleton, Stack } from '@mantine/core';

/** The shape of the shell while the first request runs. */
export function ShellSkeleton() {
  return (
    <Box p="xl" role="status" aria-label="Loading" maw={1200} ml={{ base: 0, sm: 240 }}>
      <Stack gap="lg">
        <Skeleton h={28} w={180} />
        <Skeleton h={180} />
        <Skeleton h={320} />
      </Stack>
    </Box>
  );
}
