<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>ChatPanel</name>
    <message numerus="yes">
        <source>%n message(s)</source>
        <translation>
            <numerusform>%n message</numerusform>
            <numerusform>%n messages</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message numerus="yes">
        <source>%n waiting for vector</source>
        <translation>
            <numerusform>%n waiting for vector</numerusform>
            <numerusform>%n waiting for vector</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without a vector</source>
        <translation>
            <numerusform>%n without a vector</numerusform>
            <numerusform>%n without a vector</numerusform>
        </translation>
    </message>
</context>
</TS>
