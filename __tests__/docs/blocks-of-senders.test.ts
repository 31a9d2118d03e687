import { testBlocks } from './blocks.ts'

testBlocks('senders')
